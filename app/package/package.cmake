# The Debian package, by CPack: `./dev package` writes weft_VERSION_ARCHITECTURE.deb into the build folder. It holds what the
# install rules of all folders name, and needs the packages whose libraries the three programs link.
set(place ${CMAKE_CURRENT_LIST_DIR})
set(made ${CMAKE_BINARY_DIR}/package)
configure_file(${place}/changelog.in ${made}/changelog @ONLY)
execute_process(COMMAND gzip -9nf ${made}/changelog COMMAND_ERROR_IS_FATAL ANY)
install(FILES ${place}/copyright ${made}/changelog.gz DESTINATION share/doc/weft)

# What the package holds.
add_custom_target(weft_package DEPENDS weft $<$<BOOL:${WEFT_PYTHON}>:weft_python>)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME weft)
set(CPACK_PACKAGE_VENDOR Weft)
set(CPACK_PACKAGE_CONTACT "Weft maintainers <maintainers@weft.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SECTION graphics)
# The compiler of --jit.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "clang-16 | clang | g++")
# The module is for one version of the interpreter, and runs without numpy; what the interpreter compiles of it goes with the package.
if(WEFT_PYTHON)
    math(EXPR next "${Python_VERSION_MINOR} + 1")
    string(APPEND CPACK_DEBIAN_PACKAGE_SUGGESTS ", python3 (>= 3.${Python_VERSION_MINOR}), python3 (<< 3.${next}), python3-numpy")
    set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${place}/prerm)
endif()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "interactive path tracer for glTF, OBJ, PLY and STL scenes")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Weft renders glTF 2.0 scenes with nearly all material extensions, and OBJ,
PLY, STL and more, by path tracing on the processor: from a command line, on
a render farm, or in a window in which materials, lights and cameras are
edited while the picture renders. The picture is the same, bit for bit, for
any number of threads.")
include(CPack)
