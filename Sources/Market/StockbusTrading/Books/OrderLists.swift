/// Lists of orders in the order of their addition, all in one array of links; an order is in at most one of them.
struct OrderLists {
  struct List: BitwiseCopyable {
    var first: Int32 = -1
    var last: Int32 = -1
  }

  private struct Link: BitwiseCopyable {
    var previous: Int32 = -1
    var next: Int32 = -1
  }

  private var links: ContiguousArray<Link> = []

  mutating func grow(toHold index: Int32) {
    while links.count <= Int(index) { links.append(Link()) }
  }

  @inline(__always)
  func next(after order: Int32) -> Int32 { links[Int(order)].next }

  mutating func append(_ order: Int32, to list: inout List) {
    links[Int(order)] = Link(previous: list.last, next: -1)
    if list.last >= 0 { links[Int(list.last)].next = order } else { list.first = order }
    list.last = order
  }

  mutating func remove(_ order: Int32, from list: inout List) {
    let link = links[Int(order)]
    if link.previous >= 0 { links[Int(link.previous)].next = link.next } else { list.first = link.next }
    if link.next >= 0 { links[Int(link.next)].previous = link.previous } else { list.last = link.previous }
  }
}
