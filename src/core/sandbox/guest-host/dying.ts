/** For so long cleaning up waits for the dead of others. */
const PATIENCE_MS = 1000

let dying = 0
let turn: { come: () => void; hasCome: Promise<void>; late: NodeJS.Timeout } | undefined

/** Says that a run was told to end, and when it is dead. */
export function noteDying(dead: Promise<void>): void {
  dying += 1
  if (!turn) {
    let come = () => {}
    const hasCome = new Promise<void>((resolve) => (come = resolve))
    turn = { come, hasCome, late: setTimeout(come, PATIENCE_MS) }
  }
  const leave = () => {
    dying -= 1
    if (dying > 0) return
    clearTimeout(turn?.late)
    turn?.come()
    turn = undefined
  }
  dead.then(leave, leave)
}

/**
 * Resolves when all runs that were told to end are dead: removing what one left takes the processor
 * from the kernel, which is still ending the others.
 */
export async function turnToCleanUp(): Promise<void> {
  await turn?.hasCome
}
