import { SkillsError } from '../../errors.ts'
import { readTextUpTo } from '../../util/bytes/read-up-to.ts'
import { getTextOption, type CommandLine, type OptionDefinition } from '../command.ts'
import type { Context } from '../context.ts'
import { requireAnswer, withPrompts } from '../ui/prompts.ts'

export const PASSPHRASE_OPTION: OptionDefinition = {
  flags: '--passphrase-fd <number>',
  description: 'Read the passphrase of the key from this file descriptor',
}

/** Variable with a passphrase, for machines without a terminal. */
const VARIABLE = 'SKILLS_KEY_PASSPHRASE'
const MAX_BYTES = 4096

/** Reads the passphrase of a key: from a file descriptor, a variable, or a prompt. */
export async function askPassphrase(
  context: Context,
  call: CommandLine,
  question: { key: string; isNew: boolean },
): Promise<string> {
  const descriptor = getTextOption(call, 'passphraseFd')
  const passphrase =
    descriptor === undefined
      ? context.env[VARIABLE] || (await promptPassphrase(context, question))
      : readPassphrase(descriptor)
  if (passphrase === '') throw new SkillsError('usage/invalid', 'The passphrase is empty')
  return passphrase
}

function readPassphrase(descriptor: string): string {
  try {
    if (/^\d{1,5}$/.test(descriptor)) {
      return readTextUpTo(`/dev/fd/${descriptor}`, MAX_BYTES).replace(/\r?\n$/, '')
    }
  } catch {
    // The same advice helps for a descriptor that is closed, and for one that is too long.
  }
  throw new SkillsError('usage/invalid', `Cannot read the file descriptor "${descriptor}"`, {
    hint: 'Open it in the shell: --passphrase-fd 3 3< file',
  })
}

async function promptPassphrase(
  context: Context,
  { key, isNew }: { key: string; isNew: boolean },
): Promise<string> {
  if (!context.isInteractive) {
    throw new SkillsError('usage/invalid', `The key "${key}" needs a passphrase`, {
      hint: `Pass --passphrase-fd <number>, or set ${VARIABLE}`,
    })
  }
  const { password } = await import('@clack/prompts')
  return await withPrompts(context, async (streams) => {
    const ask = async (message: string) =>
      requireAnswer((await password({ message, mask: '*', ...streams })) ?? '')
    const passphrase = await ask(`Passphrase of the key ${key}`)
    if (isNew && (await ask('The same passphrase again')) !== passphrase) {
      throw new SkillsError('usage/invalid', 'The passphrases differ; nothing was written')
    }
    return passphrase
  })
}
