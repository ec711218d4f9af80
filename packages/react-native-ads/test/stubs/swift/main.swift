// Sets values that Apple refuses; the stubs of the Swift client say what reaches Apple.
try await updateConversionValue(-1, coarse: nil, lock: false)
try await updateConversionValue(64, coarse: "high", lock: true)
