import Throughline

print(Consent.granted.rawValue)
