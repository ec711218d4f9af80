// The public types belong to `Throughline`, so that an app's own `DeepLink` or `Config` hides none of them.

typealias Attribution = Throughline.Attribution
typealias Config = Throughline.Config
typealias Consent = Throughline.Consent
typealias ConversionValue = Throughline.ConversionValue
typealias CreatedLink = Throughline.CreatedLink
typealias DeepLink = Throughline.DeepLink
typealias Explanation = Throughline.Explanation
typealias Fingerprint = Throughline.Fingerprint
typealias Http = Throughline.Http
typealias HttpRequest = Throughline.HttpRequest
typealias HttpResponse = Throughline.HttpResponse
typealias JsonObject = Throughline.JsonObject
typealias JsonValue = Throughline.JsonValue
typealias LinkError = Throughline.LinkError
typealias LinkSource = Throughline.LinkSource
typealias LogEntry = Throughline.LogEntry
typealias Method = Throughline.Method
typealias NewLink = Throughline.NewLink
typealias Ports = Throughline.Ports
typealias Revenue = Throughline.Revenue
typealias Storage = Throughline.Storage
typealias StoreReferrer = Throughline.StoreReferrer
typealias Subscription = Throughline.Subscription
