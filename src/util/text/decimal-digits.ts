const MODULUS = 10n ** 16n

/**
 * The first 16 hex digits of a digest, reduced to 16 decimal digits: still practically unique, and
 * models read three decimal digits per token, while hex takes about one token per digit.
 */
export function toDecimalDigits(hex: string): string {
  const number = BigInt(`0x${hex.slice(0, 16)}`) % MODULUS
  return number.toString().padStart(16, '0')
}
