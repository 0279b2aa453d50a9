import { SkillsError } from '../../errors.ts'

/** True if an entry starts this program, so that it may be changed. */
export function isOwnServer(entry: Readonly<Record<string, unknown>>): boolean {
  const { command, args } = entry
  const argv = [command, ...(Array.isArray(args) ? (args as unknown[]) : [])]
  const texts = argv.filter((each) => typeof each === 'string')
  return (
    texts.includes('mcp') &&
    texts.some((each) =>
      /(?:^|[\\/])(?:skills|skills-protocol)(?:@[^\\/]*|\.js|\.cmd)?$/.test(each),
    )
  )
}

/** The name belongs to a server that starts another program. */
export function foreignServerError(name: string, file: string): SkillsError {
  return new SkillsError(
    'usage/invalid',
    `"${file}" already has a server "${name}" that starts another program`,
    { hint: 'Choose another name with --name, or remove that server first' },
  )
}
