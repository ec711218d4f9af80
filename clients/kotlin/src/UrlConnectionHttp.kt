package dev.throughline

import java.io.ByteArrayOutputStream
import java.io.IOException
import java.io.InputStream
import java.net.HttpURLConnection
import java.net.URL
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.suspendCancellableCoroutine
import kotlinx.coroutines.withContext

private const val CONNECT_TIMEOUT_MS = 10_000
private const val READ_TIMEOUT_MS = 15_000

/** The longest answer of the service is shorter; other networks may answer anything. */
private const val MAX_BODY_BYTES = 2_000_000

/** `HttpURLConnection`, which the JVM and Android have. */
public class UrlConnectionHttp : Http {
    override suspend fun send(request: HttpRequest): HttpResponse =
        withContext(Dispatchers.IO) {
            suspendCancellableCoroutine { continuation ->
                val connection = URL(request.url).openConnection() as HttpURLConnection
                // Ends a read that blocks.
                continuation.invokeOnCancellation { connection.disconnect() }
                continuation.resumeWith(runCatching { exchange(connection, request) })
            }
        }

    private fun exchange(connection: HttpURLConnection, request: HttpRequest): HttpResponse {
        connection.requestMethod = request.method
        connection.connectTimeout = CONNECT_TIMEOUT_MS
        connection.readTimeout = READ_TIMEOUT_MS
        connection.instanceFollowRedirects = false
        connection.useCaches = false
        for ((name, value) in request.headers) connection.setRequestProperty(name, value)
        request.body?.toByteArray()?.let { bytes ->
            connection.doOutput = true
            // With a buffered body the JDK sends a POST again by itself, at once, if its answer is lost.
            connection.setFixedLengthStreamingMode(bytes.size)
            connection.outputStream.use { it.write(bytes) }
        }
        return answerOf(connection)
    }

    /** The JDK keeps no body of a 401 to such a POST. */
    private fun answerOf(connection: HttpURLConnection): HttpResponse {
        val status = connection.responseCode
        val stream = if (status < 400) connection.inputStream else connection.errorStream
        return HttpResponse(status, headersOf(connection), stream?.use(::readBody) ?: "")
    }

    /** The status line has no name. */
    private fun headersOf(connection: HttpURLConnection): Map<String, String> {
        val headers = HashMap<String, String>()
        for ((name, values) in connection.headerFields)
            if (name != null) headers[name.lowercase()] = values.firstOrNull() ?: ""
        return headers
    }

    private fun readBody(stream: InputStream): String {
        val bytes = ByteArrayOutputStream()
        val chunk = ByteArray(8_192)
        while (true) {
            val length = stream.read(chunk)
            if (length < 0) return bytes.toString("UTF-8")
            bytes.write(chunk, 0, length)
            if (bytes.size() > MAX_BODY_BYTES) throw IOException("the answer is longer than $MAX_BODY_BYTES bytes")
        }
    }
}
