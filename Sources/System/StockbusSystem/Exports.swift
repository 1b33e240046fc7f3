// One import for all code that makes system calls.
@_exported public import SystemPackage
