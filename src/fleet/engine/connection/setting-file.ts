import { readFile, stat } from 'node:fs/promises'
import { SkillsError } from '../../../errors.ts'

/** Reads the file that a setting names. */
export async function readSettingFile(path: string, setting: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw new SkillsError('config/invalid', `Cannot read "${path}"`, {
      hint: `Check the setting ${setting}`,
      cause,
    })
  }
}

/** Reads a secret that only this user can read, without the white space around it. */
export async function readSecretFile(path: string, setting: string): Promise<string> {
  const text = await readSettingFile(path, setting)
  const { mode } = await stat(path)
  if ((mode & 0o077) !== 0) {
    const noun = setting === 'fleet.seed' ? 'seed' : 'key'
    throw new SkillsError('config/invalid', `Other users can read the ${noun} in "${path}"`, {
      hint: `Type: chmod 600 ${path}`,
    })
  }
  return text.trim()
}
