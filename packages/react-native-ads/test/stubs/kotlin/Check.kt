/** Runs the module over fakes of Meta's content providers. */
package dev.throughline.reactnative

import android.content.ContentResolver
import android.database.Cursor
import android.net.Uri
import com.facebook.react.bridge.Promise
import com.facebook.react.bridge.ReactApplicationContext
import java.util.concurrent.LinkedBlockingQueue

private const val FACEBOOK = "content://com.facebook.katana.provider.InstallReferrerProvider/17"
private const val INSTAGRAM = "content://com.instagram.contentprovider.InstallReferrerProvider/17"
private const val LITE = "content://com.facebook.lite.provider.InstallReferrerProvider/17"

private class Row(private val values: Map<String, Any?>?) : Cursor {
  private val names = values?.keys?.toList() ?: listOf()

  private fun at(index: Int) = values?.get(names[index])

  override fun moveToFirst() = values != null

  override fun getColumnIndex(columnName: String) = names.indexOf(columnName)

  override fun isNull(columnIndex: Int) = at(columnIndex) == null

  override fun getString(columnIndex: Int) = at(columnIndex) as String?

  override fun getInt(columnIndex: Int) = at(columnIndex) as Int

  override fun getLong(columnIndex: Int) = at(columnIndex) as Long

  override fun close() {}
}

private class Answers(private val rows: Map<String, () -> Cursor?>) : ContentResolver() {
  override fun query(
    uri: Uri,
    projection: Array<String>?,
    selection: String?,
    selectionArgs: Array<String>?,
    sortOrder: String?,
  ) = rows[uri.toString()]?.invoke()
}

private fun row(referrer: String, isClick: Int?, seconds: Long?) =
  Row(mapOf("install_referrer" to referrer, "is_ct" to isClick, "actual_timestamp" to seconds))

private fun read(vararg rows: Pair<String, () -> Cursor?>): Any {
  val answers = LinkedBlockingQueue<List<Any?>>()
  val promise =
    object : Promise {
      override fun resolve(value: Any?) = answers.put(listOf(value))

      override fun reject(code: String?, throwable: Throwable?) = answers.put(listOf("$code: ${throwable?.message}"))
    }
  ThroughlineAdsModule(ReactApplicationContext(Answers(rows.toMap()))).readMetaReferrer("17", promise)
  return answers.take()
}

private fun expect(name: String, actual: Any, expected: Any) =
  check(actual == expected) { "$name: $actual, not $expected" }

private fun found(referrer: String, isClick: Boolean?, seconds: Double?) =
  listOf(
    mapOf("installReferrer" to referrer, "isClickThrough" to isClick, "actualTimestampSeconds" to seconds)
  )

fun main() {
  expect("without an app of Meta", read(), listOf(null))
  expect("without a row", read(FACEBOOK to { Row(null) }), listOf(null))
  expect("an empty referrer", read(FACEBOOK to { row("", 1, 5) }), listOf(null))
  expect("a tap", read(INSTAGRAM to { row("a", 1, 5) }), found("a", true, 5.0))
  expect("a sight", read(LITE to { row("a", 0, 5) }), found("a", false, 5.0))
  expect("unknown values", read(FACEBOOK to { row("a", null, null) }), found("a", null, null))
  expect("other columns", read(FACEBOOK to { Row(mapOf("install_referrer" to "a")) }), found("a", null, null))
  expect("the newest", read(FACEBOOK to { row("a", 1, 5) }, LITE to { row("b", 1, 6) }), found("b", true, 6.0))
  expect(
    "a refusal beside an answer",
    read(FACEBOOK to { throw SecurityException("no") }, LITE to { row("b", 1, 6) }),
    found("b", true, 6.0),
  )
  expect(
    "a fault",
    read(FACEBOOK to { throw IllegalStateException("broken") }),
    listOf("meta_referrer: broken"),
  )
  val module = ThroughlineAdsPackage().getModule("ThroughlineAds", ReactApplicationContext(Answers(mapOf())))
  val launches = List(2) { (module as ThroughlineAdsModule).launchId() }
  expect("the name of the process", launches.toSet().size, 1)
  println("ok")
}
