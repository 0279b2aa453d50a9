import { toPrintable } from '../../util/printable.ts'
import type { CommandDefinition } from '../command.ts'
import { openHandle } from '../access/open-handle.ts'

export const command: CommandDefinition = {
  summary: 'Print the names of all skills, one per line',
  async run(context, call) {
    const { skills } = await openHandle(context, call)
    const names = [...new Set((await skills.list()).map((skill) => skill.name))]
    if (context.global.json) context.document('skills.names/v1', { names })
    else if (names.length > 0) context.print(names.map(toPrintable).join('\n'))
    return 0
  },
}
