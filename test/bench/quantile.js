export const median = (list) => quantile(list, 0.5)

export function quantile(list, share) {
  const sorted = list.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}
