import { bashScript } from './bash.ts'
import { fishScript } from './fish.ts'
import type { CompletedCommand } from './words.ts'
import { zshScript } from './zsh.ts'

/** Every shell and what writes its script. */
export const SHELLS = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
} as const satisfies Record<string, (commands: readonly CompletedCommand[]) => string>
