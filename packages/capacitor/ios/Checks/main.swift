// Prints what the half for iOS makes for JavaScript, of the values in `test/shapes.ts`.
import Capacitor
import Foundation

@testable import Throughline

let link = Throughline.DeepLink(
  path: "/shoes/42", params: ["size": 43, "sale": true, "note": nil, "tags": ["a", 1.5]], url: nil, isDeferred: true,
  campaignId: "spring", method: .fingerprint, confidence: 0.75)
let full = Throughline.DeepLink(
  path: "/", params: [:], url: "https://go.example.com/l/abc", isDeferred: false, campaignId: nil, method: .direct,
  confidence: nil, isUnresolved: true, correctionOf: "https://go.example.com/l/abc",
  minAppVersion: ["ios": "2.0", "android": "2.1"], isUpdateRequired: true, metadata: ["invitedBy": "install-1"])
let firstOpen = Throughline.Attribution(
  isPending: false, isAttributed: true, method: .fingerprint, installId: "install-2", clickId: "click-1",
  campaignId: "spring", confidence: 0.75, link: link, metadata: [:])
let pending = Throughline.Attribution(
  isPending: true, isAttributed: false, method: .organic, installId: nil, clickId: nil, campaignId: nil,
  confidence: nil, link: nil, metadata: [:])
let explanation = Throughline.Explanation(
  installId: "install-2", consent: .deterministicOnly, firstOpen: firstOpen, reason: "It matched.", trace: nil,
  queuedEvents: 2, droppedEvents: 1)
let shapes: [String: Any] = [
  "link": shapeOf(link),
  "full": shapeOf(full),
  "firstOpen": shapeOf(firstOpen),
  "pending": shapeOf(pending),
  "explanation": shapeOf(explanation),
  "created": shapeOf(Throughline.CreatedLink(shortCode: "abc", shortUrl: "https://go.example.com/l/abc")),
  "entry": shapeOf(Throughline.LogEntry(level: .warn, message: "Slow")),
]
/// Nil for one that is refused.
func consent(_ wire: String) -> Throughline.Consent? { try? configOf(CAPPluginCall(options: ["consent": wire])).consent }
precondition(consent("deterministic-only") == .deterministicOnly)
precondition(consent("Denied") == nil, "an unknown consent must not mean granted")
let json = try JSONSerialization.data(withJSONObject: shapes)
print(String(decoding: json, as: UTF8.self))
