const MODULUS = 10n ** 16n

/**
 * The first 16 digits of a digest in hex, in decimal digits: still unlike all others, and models read
 * three of them as one token, where hex takes about one token a digit.
 */
export function toDecimalDigits(hex: string): string {
  const number = BigInt(`0x${hex.slice(0, 16)}`) % MODULUS
  return number.toString().padStart(16, '0')
}
