// Fixes the clock and the random numbers of JavaScript, so that tests of skills are repeatable. The
// clock stands still. Timers, performance.now() and the random bytes of node:crypto are unchanged.

/** `now`: seconds since 1970, or null for the real clock. */
export function installFixedValues({ seed, now }) {
  Math.random = createGenerator(seed)
  if (now !== null) fixDate(Math.round(now * 1000))
}

/** The generator mulberry32: 32 bits of state, numbers from 0 to below 1. */
function createGenerator(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296
  }
}

function fixDate(now) {
  const RealDate = Date
  globalThis.Date = new Proxy(RealDate, {
    // Date() without "new" returns a text.
    apply: () => new RealDate(now).toString(),
    construct: (target, values, newTarget) =>
      Reflect.construct(target, values.length === 0 ? [now] : values, newTarget),
  })
  RealDate.prototype.constructor = globalThis.Date
  // The property of the target, which the proxy shares.
  RealDate.now = () => now
}
