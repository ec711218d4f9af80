#if os(iOS) || THROUGHLINE_STUBS
  import Network
  import Throughline
  import UIKit

  /// Sends what waits when the app leaves the screen or returns, and when the network is back.
  @MainActor
  final class Lifecycle {
    private let client: Throughline
    private let monitor = NWPathMonitor()
    private var connectivity = Connectivity()
    private var backgroundTask = UIBackgroundTaskIdentifier.invalid

    /// Lives as long as the process, as the client does.
    init(_ client: Throughline) {
      self.client = client
      observe(UIApplication.didEnterBackgroundNotification) { $0.leave() }
      observe(UIApplication.willEnterForegroundNotification) { $0.flush() }
      monitor.pathUpdateHandler = { path in
        let isConnected = path.status == .satisfied
        Task { @MainActor in
          if self.connectivity.isBack(isConnected: isConnected) { self.flush() }
        }
      }
      monitor.start(queue: DispatchQueue(label: "dev.throughline.network"))
    }

    private func observe(
      _ name: Notification.Name, _ action: @escaping @MainActor @Sendable (Lifecycle) -> Void
    ) {
      _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) { _ in
        MainActor.assumeIsolated { action(self) }
      }
    }

    private func flush() {
      Task { await client.flush() }
    }

    /// The system lets the app run for some seconds more.
    private func leave() {
      end()
      backgroundTask = UIApplication.shared.beginBackgroundTask(withName: "Throughline") { self.end() }
      Task {
        await client.flush()
        end()
      }
    }

    private func end() {
      if backgroundTask == .invalid { return }
      UIApplication.shared.endBackgroundTask(backgroundTask)
      backgroundTask = .invalid
    }
  }
#endif
