export function checkSwift() {}
