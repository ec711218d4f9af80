// Imports: dev.throughline.*, dev.throughline.android.Throughline, and Flutter's. Not compiled: docs/guide/flutter.md.
class MainActivity : FlutterActivity() {
    private var listener: AutoCloseable? = null

    override fun onNewIntent(intent: Intent) {
        super.onNewIntent(intent)
        Throughline.get().handleIntent(intent)
    }

    override fun configureFlutterEngine(flutterEngine: FlutterEngine) {
        super.configureFlutterEngine(flutterEngine)
        val client = Throughline.get()
        val channel = MethodChannel(flutterEngine.dartExecutor.binaryMessenger, "throughline")
        channel.setMethodCallHandler { call, result ->
            when (call.method) {
                "listen" -> {
                    listener?.close() // of the Dart code before a hot restart
                    listener = client.onDeepLink { channel.invokeMethod("link", mapOf("path" to it.path, "params" to it.params,
                        "isUpdateRequired" to it.isUpdateRequired, "correctionOf" to it.correctionOf)) }
                    result.success(null)
                }
                "track" -> {
                    val revenue = call.argument<String>("amount")?.let {
                        Revenue(it, call.argument<String>("currency")!!, call.argument<String>("transactionId")) }
                    client.track(call.argument<String>("name")!!, call.argument<Map<String, Any?>>("properties"), revenue)
                    result.success(null)
                }
                "identify" -> {
                    call.argument<String>("user")?.let(client::identify) ?: client.logout()
                    result.success(null)
                }
                "setConsent" -> client.setConsent(Consent.valueOf(call.argument<String>("consent")!!)) { result.success(null) }
                "firstOpen" -> client.firstOpen { result.success(mapOf("method" to it.method.name, "campaignId" to it.campaignId, "isPending" to it.isPending)) }
                else -> result.notImplemented()
            }
        }
    }

    override fun cleanUpFlutterEngine(flutterEngine: FlutterEngine) {
        listener?.close() // else links would go to an engine that is gone
        super.cleanUpFlutterEngine(flutterEngine)
    }
}
