// What `ThroughlineAds.mm` and React Native's generated header use of Foundation, React Native and the header that Swift
// generates of `AppleAds.swift`. Written by their documentation, and by React Native's own headers.
#pragma once
#define NS_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define NS_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end")
#define JSI_EXPORT
#define nil nullptr
#include <memory>

typedef signed char BOOL;
typedef long NSInteger;

__attribute__((objc_root_class)) @interface NSObject
@end
@interface NSString : NSObject
@end
@interface NSConstantString : NSString
@end
@interface NSError : NSObject
@property(readonly) NSString *_Nonnull localizedDescription;
@end

typedef void (^RCTPromiseResolveBlock)(id _Nullable result);
typedef void (^RCTPromiseRejectBlock)(
    NSString *_Nullable code, NSString *_Nullable message, NSError *_Nullable error);
@protocol RCTBridgeModule
+ (NSString *_Nonnull)moduleName;
@end
#define RCT_EXPORT_MODULE(name)     \
  +(NSString *_Nonnull)moduleName { \
    return @ #name;                 \
  }
@interface EventEmitterCallbackWrapper : NSObject
@end

namespace facebook::react {
using EventEmitterCallback = void *;
struct TurboModule {};
struct ObjCTurboModule : TurboModule {
  struct InitParams {};
  ObjCTurboModule(const InitParams &params);
};
} // namespace facebook::react
@protocol RCTTurboModule
- (std::shared_ptr<facebook::react::TurboModule>)getTurboModule:
    (const facebook::react::ObjCTurboModule::InitParams &)params;
@end

@interface ThroughlineAppleAds : NSObject
@property(class, readonly) NSString *_Nonnull launchId;
+ (void)readToken:(void (^_Nonnull)(NSString *_Nullable, NSError *_Nullable))completion;
+ (void)setConversionValue:(NSInteger)fine
                    coarse:(NSString *_Nullable)coarse
                      lock:(BOOL)lock
                completion:(void (^_Nonnull)(NSError *_Nullable))completion;
@end
