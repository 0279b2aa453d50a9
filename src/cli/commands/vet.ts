import type { CommandDefinition } from '../command.ts'

export const command: CommandDefinition = {
  summary: 'Read a skill for what can harm its user, before it is installed',
  details: [
    'Read a skill for what can harm its user, before it is installed.',
    '',
    '- A source is what "skills install" takes, or the name of a skill that is',
    '  here. Of a repository or a folder with several skills, all are read.',
    '- Reads instructions, documents, hidden text, data and code. Nothing of the',
    '  skill is installed or executed.',
    '- Comments of the skill that suppress findings do not count, and are shown.',
    '- No verdict says that a skill is harmless: the report lists what was not',
    '  read.',
    '',
    'The exit status is that of the worst verdict:',
    '  0    nothing found',
    '  1    suspicious: ask the author',
    '  5    dangerous: an instruction or code without an innocent reading',
  ].join('\n'),
  arguments: [{ syntax: '<source>', description: 'Folder, archive, address, or name of a skill' }],
  options: [
    {
      flags: '--format <name>',
      description: 'Select the report format',
      choices: ['pretty', 'json', 'sarif', 'markdown', 'html'],
    },
    { flags: '--output-file <file>', description: 'Write the report to this file' },
  ],
  examples: [
    { command: 'skills vet skills/greet', explains: 'Read the skill in a folder' },
    {
      command: 'skills vet github:acme/skills',
      explains: 'Read all skills of a repository',
      notRun: 'it needs a server',
    },
    {
      command: 'skills vet demo.greet --format sarif --output-file vet.sarif',
      explains: 'Write a report for code scanning',
    },
  ],
  async run(context, call) {
    const { runVet } = await import('../vet/run-vet.ts')
    return await runVet(context, call)
  },
}
