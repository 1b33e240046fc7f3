// One import for whoever talks to the operating system.
@_exported public import SystemPackage
