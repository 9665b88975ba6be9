import JSON
import PushReceipts

/// A post as it was read: what was taken and what was not.
struct DecodedPost<Item: Sendable>: Sendable {
  var items: [Item] = []
  var rejections: [Rejection] = []
}

/// Reads the objects of a post's array one by one; one bad item never costs another.
struct ItemDecoder<Item: Sendable> {
  /// `receipts` or `sends`.
  let member: StaticString
  /// Turns one item's fields into an item.
  let decode: (Fields) -> Result<Item, RejectionFailure>

  /// - Parameter context: what the items' fields default to.
  func decode(_ array: JSONValue?, context: Fields) throws(BodyError) -> DecodedPost<Item> {
    guard let array, array.kind == .array else { throw .missingItems("\(member)") }
    guard array.count <= Limits.itemsPerPost else { throw .tooManyItems("\(member)") }
    var post = DecodedPost<Item>()
    post.items.reserveCapacity(array.count)
    for (index, value) in array.elements.enumerated() {
      guard value.kind == .object else {
        post.rejections.append(Rejection(index: index, code: .notAnObject))
        continue
      }
      switch decode(Fields(value, context: context)) {
      case .success(let item): post.items.append(item)
      case .failure(let failure):
        post.rejections.append(Rejection(index: index, code: failure.code))
      }
    }
    return post
  }
}

/// A rejection on its way to the answer.
struct RejectionFailure: Error {
  let code: RejectionCode
}

/// The members of a post's root object.
struct PostRoot {
  var postedAt: JSONValue?
  var context: JSONValue?
  var items: JSONValue?

  init(_ root: JSONValue, items member: StaticString) throws(BodyError) {
    guard root.kind == .object else { throw .notAnObject }
    root.forEachMember { name, value in
      if name.equals("postedAt") {
        postedAt = value
      } else if name.equals("context") {
        context = value
      } else if name.equals(member) {
        items = value
      }
    }
  }
}
