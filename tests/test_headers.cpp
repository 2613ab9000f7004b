// test_headers.cpp — a target that precompiles headers needs a file of its own.
