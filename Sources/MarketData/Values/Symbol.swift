/// An interned instrument name: a 32-bit handle that is compared in one instruction and leads to the name in one look-up.
///
/// A name is 1 to 64 bytes of UTF-8 without control characters, quotation marks, backslashes and commas, so that it needs no escaping in
/// JSON or CSV. A process has fewer than `Symbol.limit` different names; names are never removed.
public struct Symbol: BitwiseCopyable, Hashable, Sendable {
  /// The handle: dense, counted from 1 in the order of first use; 0 is not a symbol.
  public let id: UInt32

  /// The symbol with the handle `id` of another symbol.
  @inlinable public init(id: UInt32) { self.id = id }

  /// The symbol named `name`. Throws `TextError` if the name violates the rules above or the table is full.
  public init(_ name: String) throws(TextError) {
    var name = name
    let result: Result<UInt32, TextError> = name.withUTF8 { bytes in
      do throws(TextError) { return .success(try SymbolTable.shared.intern(bytes)) } catch { return .failure(error) }
    }
    id = try result.get()
  }

  /// The symbol with this name, limited only by the table. Names from outside go through a `SymbolIntake` instead.
  @inlinable public init(utf8 name: UnsafeBufferPointer<UInt8>) throws(TextError) {
    id = try SymbolTable.shared.intern(name)
  }

  /// All handles are below this, so there may be one name fewer.
  public static var limit: Int { SymbolTable.limit }

  /// The bytes of the name; they stay valid as long as the process runs.
  @inlinable public var utf8: UnsafeBufferPointer<UInt8> { SymbolTable.shared.name(of: id) }
}

extension Symbol: ExpressibleByStringLiteral {
  /// A symbol written in source code. Traps if the name violates the rules.
  public init(stringLiteral name: String) {
    do throws(TextError) { try self.init(name) } catch { preconditionFailure("'\(name)' cannot be a symbol: \(error)") }
  }
}

extension Symbol: CustomStringConvertible {
  public var description: String { String(decoding: utf8, as: UTF8.self) }
}

extension Symbol: Comparable {
  /// By name, byte for byte.
  public static func < (a: Symbol, b: Symbol) -> Bool { a.utf8.lexicographicallyPrecedes(b.utf8) }
}

extension Symbol {
  /// Why `name` is not a valid name, in one sentence; nil if it is valid. Nothing is interned.
  public static func fault(in name: String) -> String? {
    var name = name
    return name.withUTF8 { bytes in
      do throws(TextError) {
        try SymbolTable.validate(bytes)
        return nil
      } catch { return error.reason }
    }
  }
}
