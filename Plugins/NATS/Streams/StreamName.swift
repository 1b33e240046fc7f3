/// Why a text is not the name of a stream or consumer; nil if it is one.
func streamFault(_ name: String) -> String? {
  if name.isEmpty || name.utf8.count > 128 { return "must have 1 to 128 characters" }
  let isPlain = name.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 45 || $0 == 95 }
  return isPlain ? nil : "may contain only letters, digits, - and _"
}
