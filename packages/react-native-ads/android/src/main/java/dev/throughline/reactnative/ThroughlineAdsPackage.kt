package dev.throughline.reactnative

import com.facebook.react.BaseReactPackage
import com.facebook.react.bridge.NativeModule
import com.facebook.react.bridge.ReactApplicationContext
import com.facebook.react.module.model.ReactModuleInfo
import com.facebook.react.module.model.ReactModuleInfoProvider

/** React Native's autolinking finds it by its name. */
class ThroughlineAdsPackage : BaseReactPackage() {
  override fun getModule(name: String, reactContext: ReactApplicationContext): NativeModule? =
    if (name == ThroughlineAdsModule.NAME) ThroughlineAdsModule(reactContext) else null

  override fun getReactModuleInfoProvider() = ReactModuleInfoProvider {
    val name = ThroughlineAdsModule.NAME
    mapOf(name to ReactModuleInfo(name, ThroughlineAdsModule::class.java.name, false, false, false, true))
  }
}
