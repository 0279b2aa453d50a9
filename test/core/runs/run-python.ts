import { runAction, type ActionRun } from './run-action.ts'

export { createRuntimeIn } from './run-action.ts'

/** Runs the text of a Python file as a skill, in a real sandbox. */
export async function runPython(code: string, options: ActionRun = {}) {
  return await runAction('python', code, { timeoutMs: 20_000, ...options })
}

/** A function `main` with this body. */
export function buildMain(lines: string): string {
  const indented = lines
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')
  return `import ctypes, os, signal, sys, time, threading\n\ndef main(args):\n${indented}\n`
}
