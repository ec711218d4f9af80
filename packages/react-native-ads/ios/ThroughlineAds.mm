#import <ThroughlineAdsSpec/ThroughlineAdsSpec.h>

#if __has_include(<ThroughlineReactNativeAds/ThroughlineReactNativeAds-Swift.h>)
#import <ThroughlineReactNativeAds/ThroughlineReactNativeAds-Swift.h>
#else
#import "ThroughlineReactNativeAds-Swift.h"
#endif

/// JavaScript's way to `AppleAds.swift`. No header: C++ in one would keep Swift from importing this module.
@interface ThroughlineAds : NSObject <NativeThroughlineAdsSpec>
@end

@implementation ThroughlineAds

RCT_EXPORT_MODULE(ThroughlineAds)

- (NSString *)launchId
{
  return ThroughlineAppleAds.launchId;
}

- (void)readAppleAdsToken:(RCTPromiseResolveBlock)resolve reject:(RCTPromiseRejectBlock)reject
{
  [ThroughlineAppleAds readToken:^(NSString *_Nullable token, NSError *_Nullable error) {
    if (error != nil) {
      reject(@"apple_ads_token", error.localizedDescription, error);
    } else {
      resolve(token);
    }
  }];
}

- (void)setConversionValue:(double)fine
                    coarse:(NSString *_Nullable)coarse
                      lock:(BOOL)lock
                   resolve:(RCTPromiseResolveBlock)resolve
                    reject:(RCTPromiseRejectBlock)reject
{
  [ThroughlineAppleAds setConversionValue:(NSInteger)fine
                                   coarse:coarse
                                     lock:lock
                               completion:^(NSError *_Nullable error) {
                                 if (error != nil) {
                                   reject(@"conversion_value", error.localizedDescription, error);
                                 } else {
                                   resolve(nil);
                                 }
                               }];
}

/// Android's.
- (void)readMetaReferrer:(NSString *)appId resolve:(RCTPromiseResolveBlock)resolve reject:(RCTPromiseRejectBlock)reject
{
  resolve(nil);
}

- (std::shared_ptr<facebook::react::TurboModule>)getTurboModule:
    (const facebook::react::ObjCTurboModule::InitParams &)params
{
  return std::make_shared<facebook::react::NativeThroughlineAdsSpecJSI>(params);
}

@end
