# stand_ins.awk — writes the C file of a library that stands in for another one: what a program wants of it, as functions that return
# nothing and as zeros. Input: `nm -D` of the program, then of the library. The variable `map` names the file of its symbol versions.
FNR == NR {
    if ($1 == "U") {
        split($2, parts, "@")
        wanted[parts[1]] = 1
    }
    next
}
{
    count = split($3, parts, "@")
    if (!(parts[1] in wanted) || $2 == "A")
        next
    delete wanted[parts[1]]
    if ($2 ~ /[TtWi]/)
        print "void* " parts[1] "(void) { return 0; }"
    else
        print "char " parts[1] "[64];"
    if (count > 1)
        version = parts[count]
}
END {
    print "typedef int not_empty;"
    print (version == "" ? "" : version " ") "{ global: *; };" > map
}
