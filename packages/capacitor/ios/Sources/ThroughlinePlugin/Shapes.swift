import Foundation
import Throughline

// What crosses to JavaScript, in the shapes of `@throughline/core`.

func shapeOf(_ link: Throughline.DeepLink) -> [String: Any] {
  var shape: [String: Any] = [
    "path": link.path,
    "params": plain(link.params),
    "url": orNull(link.url),
    "deferred": link.isDeferred,
    "campaignId": orNull(link.campaignId),
    "method": link.method.rawValue,
    "confidence": orNull(link.confidence),
  ]
  if link.isUnresolved { shape["unresolved"] = true }
  if let url = link.correctionOf { shape["correctionOf"] = url }
  if !link.minAppVersion.isEmpty { shape["minAppVersion"] = link.minAppVersion }
  if !link.metadata.isEmpty { shape["metadata"] = plain(link.metadata) }
  if link.isUpdateRequired { shape["updateRequired"] = true }
  return shape
}

func shapeOf(_ told: Throughline.Attribution) -> [String: Any] {
  [
    "pending": told.isPending,
    "attributed": told.isAttributed,
    "method": told.method.rawValue,
    "installId": orNull(told.installId),
    "clickId": orNull(told.clickId),
    "campaignId": orNull(told.campaignId),
    "confidence": orNull(told.confidence),
    "link": orNull(told.link.map(shapeOf)),
    "metadata": plain(told.metadata),
  ]
}

func shapeOf(_ told: Throughline.Explanation) -> [String: Any] {
  [
    "installId": told.installId,
    "consent": told.consent.rawValue,
    "firstOpen": orNull(told.firstOpen.map(shapeOf)),
    "reason": told.reason,
    "trace": orNull(told.trace.map(plain)),
    "queuedEvents": told.queuedEvents,
    "droppedEvents": told.droppedEvents,
  ]
}

func shapeOf(_ link: Throughline.CreatedLink) -> [String: Any] {
  ["shortCode": link.shortCode, "shortUrl": link.shortUrl]
}

func shapeOf(_ entry: Throughline.LogEntry) -> [String: Any] {
  ["level": entry.level.rawValue, "message": entry.message]
}

private func orNull(_ value: Any?) -> Any { value ?? NSNull() }

private func plain(_ fields: Throughline.JsonObject) -> [String: Any] { fields.mapValues(plain) }

private func plain(_ value: Throughline.JsonValue) -> Any {
  switch value {
  case .null: NSNull()
  case .bool(let bool): bool
  case .integer(let number): number
  case .number(let number): number
  case .string(let text): text
  case .array(let items): items.map(plain)
  case .object(let fields): plain(fields)
  }
}
