/** Runs the module over fakes of Meta's content providers. */
package dev.throughline.reactnative

import android.content.ContentResolver
import android.content.pm.PackageManager
import android.content.pm.ProviderInfo
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

/** Phones on which each app of Meta has its own provider, unless another app has taken its name. */
private class Packages(private val owners: Map<String, String>) : PackageManager() {
  override fun resolveContentProvider(name: String, flags: Int) = owners[name]?.let(::ProviderInfo)
}

private val OWNERS =
  mapOf(FACEBOOK to "com.facebook.katana", INSTAGRAM to "com.instagram.android", LITE to "com.facebook.lite")

private fun row(referrer: String, isClick: Int?, seconds: Long?) =
  Row(mapOf("install_referrer" to referrer, "is_ct" to isClick, "actual_timestamp" to seconds))

private fun phone(rows: Map<String, () -> Cursor?>, owner: String? = null) =
  ReactApplicationContext(
    Answers(rows),
    Packages(rows.keys.associate { it.split("/")[2] to (owner ?: OWNERS.getValue(it)) }),
  )

private fun read(vararg rows: Pair<String, () -> Cursor?>, owner: String? = null): Any {
  val answers = LinkedBlockingQueue<List<Any?>>()
  val promise =
    object : Promise {
      override fun resolve(value: Any?) = answers.put(listOf(value))

      override fun reject(code: String?, throwable: Throwable?) = answers.put(listOf("$code: ${throwable?.message}"))
    }
  ThroughlineAdsModule(phone(rows.toMap(), owner)).readMetaReferrer("17", promise)
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
  val others =
    mapOf(
      "of the future" to row("a", 1, System.currentTimeMillis()),
      "that the service refuses" to row("x".repeat(8_193), 1, 7),
    )
  for ((name, other) in others)
    expect("one $name", read(FACEBOOK to { other }, LITE to { row("b", 1, 6) }), found("b", true, 6.0))
  expect(
    "a fault beside an answer",
    read(FACEBOOK to { throw IllegalStateException("broken") }, LITE to { row("b", 1, 6) }),
    found("b", true, 6.0),
  )
  expect("another app's provider", read(LITE to { row("b", 1, 6) }, owner = "com.example"), listOf(null))
  val module = ThroughlineAdsPackage().getModule("ThroughlineAds", phone(mapOf()))
  val launches = List(2) { (module as ThroughlineAdsModule).launchId() }
  expect("the name of the process", launches.toSet().size, 1)
  println("ok")
}
