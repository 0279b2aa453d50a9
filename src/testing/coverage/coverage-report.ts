/** Coverage of one file of a skill. */
export interface FileCoverage {
  /** Path below the skill, with forward slashes. */
  path: string
  /** Executions by line; every line with code is a key. */
  lines: ReadonlyMap<number, number>
}

/** A part of the interface of a skill, which a case should use. */
export interface SurfaceItem {
  kind: 'input' | 'enum value' | 'host' | 'secret' | 'example' | 'error'
  name: string
  isCovered: boolean
}

export interface SkillCoverage {
  skill: string
  /** Absolute path of the folder. */
  folder: string
  files: readonly FileCoverage[]
  surface: readonly SurfaceItem[]
}

export interface CoverageCount {
  covered: number
  total: number
}

export function countLines({ lines }: Pick<FileCoverage, 'lines'>): CoverageCount {
  return { covered: [...lines.values()].filter((count) => count > 0).length, total: lines.size }
}

export function countAllLines(skills: readonly SkillCoverage[]): CoverageCount {
  return addCounts(skills.flatMap(({ files }) => files.map(countLines)))
}

export function countSurface(skills: readonly SkillCoverage[]): CoverageCount {
  const items = skills.flatMap(({ surface }) => surface)
  return { covered: items.filter(({ isCovered }) => isCovered).length, total: items.length }
}

export function addCounts(counts: readonly CoverageCount[]): CoverageCount {
  const sum = (key: keyof CoverageCount) => counts.reduce((all, each) => all + each[key], 0)
  return { covered: sum('covered'), total: sum('total') }
}

/** Percentage, rounded down so that 100 means all. Nothing to cover is 100. */
export function toPercent({ covered, total }: CoverageCount): number {
  return total === 0 ? 100 : Math.floor((covered / total) * 1000) / 10
}

/** Lines without an execution, as ranges of neighbouring lines with code: `3-5, 9`. */
export function formatMissedLines({ lines }: Pick<FileCoverage, 'lines'>): string {
  const ranges: [number, number][] = []
  let isOpen = false
  for (const [line, count] of [...lines].sort(([a], [b]) => a - b)) {
    const last = ranges.at(-1)
    if (count > 0) isOpen = false
    else if (isOpen && last) last[1] = line
    else {
      ranges.push([line, line])
      isOpen = true
    }
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(', ')
}
