#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

func makeExecutable(_ path: String) { chmod(path, 0o755) }
