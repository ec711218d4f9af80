// By React Native's own sources.
package com.facebook.react.turbomodule.core.interfaces

interface TurboModule
