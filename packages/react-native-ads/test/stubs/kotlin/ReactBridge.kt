// What the module and its generated interface use of `com.facebook.react.bridge`, by React Native's own sources.
package com.facebook.react.bridge

import android.content.ContentResolver
import android.content.Context

annotation class ReactMethod(val isBlockingSynchronousMethod: Boolean = false)

interface NativeModule {
  fun getName(): String
}

interface Promise {
  fun resolve(value: Any?)

  fun reject(code: String?, throwable: Throwable?)
}

interface WritableMap {
  fun putString(key: String, value: String?)

  fun putBoolean(key: String, value: Boolean)

  fun putDouble(key: String, value: Double)

  fun putNull(key: String)
}

class Values : HashMap<String, Any?>(), WritableMap {
  override fun putString(key: String, value: String?) = set(key, value)

  override fun putBoolean(key: String, value: Boolean) = set(key, value)

  override fun putDouble(key: String, value: Double) = set(key, value)

  override fun putNull(key: String) = set(key, null)
}

object Arguments {
  @JvmStatic fun createMap(): WritableMap = Values()
}

open class ReactApplicationContext(override val contentResolver: ContentResolver) : Context()

abstract class ReactContextBaseJavaModule(reactContext: ReactApplicationContext?) : NativeModule
