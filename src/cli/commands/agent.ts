import { COMMAND_OPTIONS } from '../agent/command-options.ts'
import { SESSION_OPTIONS, TURN_OPTIONS } from '../agent/session-options.ts'
import { REMOTE_OPTIONS } from '../access/remote-options.ts'
import type { CommandDefinition } from '../command.ts'

const SKILL_ARGUMENT = { syntax: '<skill>', description: 'Name, or name@version' }
const COMMAND_ARGUMENT = {
  syntax: '<command...>',
  description: 'A line for the shell, or words behind --',
}

export const command: CommandDefinition = {
  summary: 'Try the tools that agents get for skills',
  details:
    'Try the tools that agents get for skills, one by one, as a model would use them. What is loaded is kept under the name of a session.',
  subcommands: {
    load: {
      summary: 'Load a skill into a session: the tool skill_load',
      arguments: [SKILL_ARGUMENT],
      options: [
        {
          flags: '--doc <name>',
          description: 'Also load this document, or a part of it as USAGE.md#install (repeatable)',
          isRepeatable: true,
        },
        { flags: '--all-docs', description: 'Also load every document' },
        ...SESSION_OPTIONS,
        ...TURN_OPTIONS,
        ...REMOTE_OPTIONS,
      ],
      examples: [
        { command: 'skills agent load demo.greet', explains: 'Load the body of a skill' },
        {
          command: 'skills agent load demo.greet --session s1 --json',
          explains: 'The same in a session of its own, for a program',
        },
      ],
      run: async (context, call) =>
        await (await import('../agent/load.ts')).runLoadCommand(context, call),
    },
    docs: {
      summary: 'List the documents of a skill, or select some: skill_list_docs, skill_select_docs',
      arguments: [SKILL_ARGUMENT],
      options: [
        {
          flags: '--select <name>',
          description: 'Select this document (repeatable)',
          isRepeatable: true,
        },
        { flags: '--all', description: 'Select every document' },
        {
          flags: '--mode <mode>',
          description: 'Add to the selection, replace it (the default), or clear it',
          choices: ['add', 'replace', 'clear'],
        },
        ...SESSION_OPTIONS,
        ...TURN_OPTIONS,
        ...REMOTE_OPTIONS,
      ],
      examples: [
        { command: 'skills agent docs demo.greet', explains: 'The names of its documents' },
        {
          command: 'skills agent docs demo.greet --mode clear',
          explains: 'Take all documents out of the conversation',
        },
      ],
      run: async (context, call) =>
        await (await import('../agent/docs.ts')).runDocsCommand(context, call),
    },
    run: {
      summary: 'Run a command of a skill in the workspace of a session: skill_run',
      arguments: [SKILL_ARGUMENT, COMMAND_ARGUMENT],
      options: [
        ...COMMAND_OPTIONS,
        { flags: '--stdin', description: 'Give it what stands on standard input' },
        ...SESSION_OPTIONS,
        ...REMOTE_OPTIONS,
      ],
      examples: [
        {
          command: 'skills agent run demo.greet "echo hi > out/a.txt" --output "out/*.txt"',
          explains: 'A line for the shell, and the files that it leaves',
        },
        {
          command: 'skills agent run demo.greet --json -- ls -l',
          explains: 'The whole answer, as a model gets it',
        },
      ],
      run: async (context, call) =>
        await (await import('../agent/run.ts')).runSkillCommand(context, call),
    },
    exec: {
      summary: 'Run one that may ask for input, with this terminal: skill_exec',
      arguments: [SKILL_ARGUMENT, COMMAND_ARGUMENT],
      options: [...COMMAND_OPTIONS, ...SESSION_OPTIONS, ...REMOTE_OPTIONS],
      examples: [
        {
          command: 'skills agent exec demo.greet -- cat SKILL.md',
          explains: 'What is typed reaches the command; Ctrl-C as well',
        },
      ],
      run: async (context, call) =>
        await (await import('../agent/exec.ts')).runExecCommand(context, call),
    },
    show: {
      summary: 'Show what a session has loaded',
      options: [
        { flags: '--content', description: 'Show the text that a model sees of it' },
        {
          flags: '--request',
          description: 'Count it as a request to a model: what is loaded "once" is gone afterwards',
        },
        ...SESSION_OPTIONS,
        ...TURN_OPTIONS,
        ...REMOTE_OPTIONS,
      ],
      examples: [
        { command: 'skills agent show', explains: 'Loaded skills and selected documents' },
        { command: 'skills agent show --content', explains: 'What a model sees' },
        {
          command: 'skills agent show --turn 2',
          explains: 'Begin another turn, and see what is left of the one before',
        },
      ],
      run: async (context, call) =>
        await (await import('../agent/show.ts')).runShowCommand(context, call),
    },
  },
}
