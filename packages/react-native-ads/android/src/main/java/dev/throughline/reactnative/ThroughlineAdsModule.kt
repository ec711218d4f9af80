package dev.throughline.reactnative

import com.facebook.react.bridge.Arguments
import com.facebook.react.bridge.Promise
import com.facebook.react.bridge.ReactApplicationContext
import com.facebook.react.bridge.WritableMap
import java.util.UUID
import kotlin.concurrent.thread

/** What ad networks tell an Android phone. Apple's methods answer null. */
class ThroughlineAdsModule(private val context: ReactApplicationContext) : NativeThroughlineAdsSpec(context) {
  override fun launchId(): String = LAUNCH_ID

  override fun readAppleAdsToken(promise: Promise) = promise.resolve(null)

  override fun setConversionValue(fine: Double, coarse: String?, lock: Boolean, promise: Promise) =
    promise.resolve(null)

  /** On a thread of its own, since Meta's app answers from its own process. */
  override fun readMetaReferrer(appId: String, promise: Promise) {
    thread(name = "throughline-meta") {
      try {
        promise.resolve(readMetaReferrer(context.contentResolver, appId)?.let(::toMap))
      } catch (error: RuntimeException) {
        promise.reject("meta_referrer", error)
      }
    }
  }

  private fun toMap(referrer: MetaReferrer): WritableMap =
    Arguments.createMap().apply {
      putString("installReferrer", referrer.installReferrer)
      if (referrer.isClickThrough == null) putNull("isClickThrough")
      else putBoolean("isClickThrough", referrer.isClickThrough)
      if (referrer.actualTimestampSeconds == null) putNull("actualTimestampSeconds")
      else putDouble("actualTimestampSeconds", referrer.actualTimestampSeconds.toDouble())
    }

  companion object {
    const val NAME = "ThroughlineAds"

    /** A value of the class lives as long as the process. */
    private val LAUNCH_ID = UUID.randomUUID().toString()
  }
}
