import Foundation
import Throughline

// What crosses to JavaScript, in the shapes of `@throughline/core`.

func shapeOf(_ link: Throughline.DeepLink) -> [String: Any] {
  var shape: [String: Any] = [
    "path": link.path,
    "params": link.params.dictionary,
    "url": orNull(link.url),
    "deferred": link.isDeferred,
    "campaignId": orNull(link.campaignId),
    "method": link.method.rawValue,
    "confidence": orNull(link.confidence),
  ]
  if link.isUnresolved { shape["unresolved"] = true }
  if let url = link.correctionOf { shape["correctionOf"] = url }
  if !link.minAppVersion.isEmpty { shape["minAppVersion"] = link.minAppVersion }
  if !link.metadata.isEmpty { shape["metadata"] = link.metadata.dictionary }
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
    "metadata": told.metadata.dictionary,
  ]
}

func shapeOf(_ told: Throughline.Explanation) -> [String: Any] {
  [
    "installId": told.installId,
    "consent": told.consent.rawValue,
    "firstOpen": orNull(told.firstOpen.map(shapeOf)),
    "reason": told.reason,
    "trace": orNull(told.trace?.dictionary),
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
