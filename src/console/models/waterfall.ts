/** A phase of a run as it is drawn; positions are shares of the whole time. */
export interface PhaseBar {
  name: string
  /** A sentence about the work of the phase. */
  label: string
  ms: number
  start: number
  width: number
}

const LABELS: Readonly<Record<string, string>> = {
  parse: 'The call is read',
  resolve: 'Skill, files, secrets and limits are resolved',
  policy: 'The policy decides',
  wait: 'The run waits in the queue',
  begin: 'The start is recorded',
  stage: 'Files are staged, the sandbox starts',
  channel: 'The code runs',
  collect: 'Files are collected, the sandbox ends',
  record: 'The end is recorded',
}

/** Lays phases out one after the other. */
export function layOutPhases(phases: readonly { name: string; ms: number }[]): {
  bars: PhaseBar[]
  totalMs: number
} {
  const totalMs = phases.reduce((sum, { ms }) => sum + ms, 0)
  const bars: PhaseBar[] = []
  let before = 0
  for (const { name, ms } of phases) {
    const share = totalMs === 0 ? 0 : ms / totalMs
    bars.push({ name, label: LABELS[name] ?? name, ms, start: before, width: share })
    before += share
  }
  return { bars, totalMs }
}
