// A stub of the part of SwiftUI that the layer uses, written from Apple's documents. It has types and no code.
@_exported import UIKit

@MainActor @preconcurrency
public protocol View {
  associatedtype Body: View
  @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
  public var body: Never { stub() }
}

@resultBuilder
public struct ViewBuilder {
  public static func buildBlock() -> EmptyView { stub() }
  public static func buildBlock<Content: View>(_ content: Content) -> Content { stub() }
  public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<(repeat each Content)>
  {
    stub()
  }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { stub() }
  public static func buildLimitedAvailability<Content: View>(_ content: Content) -> AnyView { stub() }
}

extension Optional: View where Wrapped: View {
  public var body: Never { stub() }
}

public struct EmptyView: View {
  public init() { stub() }
  public var body: Never { stub() }
}

public struct AnyView: View {
  public var body: Never { stub() }
}

public struct VStack<Content: View>: View {
  public init(@ViewBuilder content: () -> Content) { stub() }
  public var body: Never { stub() }
}

public struct TupleView<Content>: View {
  public var body: Never { stub() }
}

public struct Text: View {
  public init(_ text: String) { stub() }
  public var body: Never { stub() }
}

@MainActor @preconcurrency
public protocol ViewModifier {
  associatedtype Body: View
  @ViewBuilder @MainActor @preconcurrency func body(content: Content) -> Body
  typealias Content = ModifierContent<Self>
}

public struct ModifierContent<Modifier: ViewModifier>: View {
  public var body: Never { stub() }
}

extension View {
  nonisolated public func modifier<T: ViewModifier>(_ modifier: T) -> some View { ModifiedStub() }

  nonisolated public func onOpenURL(perform action: @escaping (URL) -> Void) -> some View { ModifiedStub() }

  nonisolated public func onContinueUserActivity(
    _ activityType: String, perform action: @escaping (NSUserActivity) -> Void
  ) -> some View { ModifiedStub() }

  nonisolated public func task(
    priority: TaskPriority = .userInitiated,
    @_inheritActorContext _ action: @escaping @Sendable () async -> Void
  ) -> some View { ModifiedStub() }
}

struct ModifiedStub: View {
  nonisolated init() { stub() }
  var body: Never { stub() }
}

public protocol Transferable {}

extension String: Transferable {}

@available(iOS 16.0, *)
public struct PasteButton: View {
  nonisolated public init<T: Transferable>(payloadType: T.Type, onPaste: @escaping ([T]) -> Void) { stub() }
  @MainActor @preconcurrency public var body: Never { stub() }
}

@MainActor @preconcurrency
public protocol Scene {
  associatedtype Body: Scene
  @SceneBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: Scene {}

@resultBuilder
public struct SceneBuilder {
  public static func buildBlock<Content: Scene>(_ content: Content) -> Content { stub() }
}

@MainActor @preconcurrency
public protocol App {
  associatedtype Body: Scene
  @SceneBuilder @MainActor @preconcurrency var body: Body { get }
  @MainActor @preconcurrency init()
}

extension App {
  @MainActor @preconcurrency public static func main() { stub() }
}

public struct WindowGroup<Content: View>: Scene {
  nonisolated public init(@ViewBuilder content: @escaping () -> Content) { stub() }
  public var body: Never { stub() }
}

@propertyWrapper
public struct State<Value>: Sendable {
  public init(wrappedValue: Value) { stub() }
  public var wrappedValue: Value {
    get { stub() }
    nonmutating set { stub() }
  }
}
