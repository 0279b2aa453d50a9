import type { CommandDefinition } from '../command.ts'

export const command: CommandDefinition = {
  summary: 'Check whether a skill is dangerous: read it, run it with bait, show proof',
  details: [
    'Check whether a skill is dangerous, before it is installed.',
    '',
    '- A source is what "skills install" takes, or the name of a skill that is',
    '  here. Of a repository or a folder with several skills, all are read.',
    '- Reads instructions, documents, hidden text, data and code.',
    '- With --run, each script, entry point and example starts in a sandbox of',
    '  its own with bait: keys, tokens and a network that leads nowhere. What it',
    '  sends, writes and executes is proof. Nothing leaves this machine.',
    '- With --model, a model reads the same texts. What it says is shown as its',
    '  own: it can raise a verdict, and never lowers one.',
    '- Comments of the skill that suppress findings do not count, and are shown.',
    '- No verdict says that a skill is harmless: the report lists what was not',
    '  read.',
    '',
    'The exit status is that of the worst verdict:',
    '  0    nothing found',
    '  1    suspicious: ask the author',
    '  5    dangerous: an instruction or code without an innocent reading',
  ].join('\n'),
  arguments: [{ syntax: '[source]', description: 'Folder, archive, address, or name of a skill' }],
  options: [
    {
      flags: '--format <name>',
      description: 'Select the report format',
      choices: ['pretty', 'json', 'sarif', 'markdown', 'html'],
    },
    { flags: '--output-file <file>', description: 'Write the report to this file' },
    {
      flags: '--model <name>',
      description: 'Also ask this model: <provider>/<model> of the AI SDK, or script:<file>',
    },
    { flags: '--max-tokens <count>', description: 'Never use more tokens of the model than this' },
    { flags: '--run', description: 'Also run the skill with bait, in sandboxes' },
    { flags: '--only <part>', description: 'Run only this script, entry point or example' },
    {
      flags: '--variant <name>',
      description: 'Run in this variant only: plain, packages, ci, later, "other host", terminal',
    },
    { flags: '--trace <file>', description: 'Write what the runs did to this file' },
    { flags: '--replay <file>', description: 'Print a saved trace, and run nothing' },
  ],
  startsRuns: true,
  examples: [
    { command: 'skills vet skills/greet', explains: 'Read the skill in a folder' },
    { command: 'skills vet skills/greet --run', explains: 'Read it, and run its code with bait' },
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
