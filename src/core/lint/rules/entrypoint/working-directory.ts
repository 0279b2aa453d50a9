import { posix } from 'node:path'
import { hasPath } from '../../code/node-packages.ts'
import type { NamedSpan } from '../../code/code-facts.ts'
import { listParsedCode } from '../../code/code-files.ts'
import { listLoadedPython } from '../../code/loaded-python.ts'
import type { LintedSkill, Rule } from '../../rule.ts'

/** Functions of Python that open the file of their first argument. */
const OPENERS =
  /^(?:(?:io\.|codecs\.)?open|(?:pathlib\.)?(?:Pure)?Path|os\.path\.\w+|os\.(?:listdir|stat|scandir)|sqlite3\.connect|shutil\.copy\w*|(?:pd|pandas|np|numpy)\.(?:read_\w+|load\w*))$/

export const WORKING_DIRECTORY: Rule = {
  id: 'entrypoint/working-directory',
  severity: 'error',
  what: 'The code opens a file of the skill by a path relative to the working directory',
  why: 'A run starts in /workspace, not in the folder of the skill: the file is not there.',
  example: {
    bad: {
      'resources/words.txt': 'Hello\n',
      'code/main.py':
        'def main(args):\n    with open("resources/words.txt") as file:\n        return {"greeting": file.read() + args["who"]}\n',
    },
    good: {
      'resources/words.txt': 'Hello\n',
      'code/main.py':
        'from pathlib import Path\n\nWORDS = Path(__file__).parent.parent / "resources" / "words.txt"\n\n\ndef main(args):\n    return {"greeting": WORDS.read_text() + args["who"]}\n',
    },
  },
  fix: 'Build the path from the place of the file: Path(__file__), import.meta.url or BASH_SOURCE.',
  needsPython: true,
  check(skill, report) {
    for (const { file, paths, help } of listCodePaths(skill)) {
      for (const { name, span } of paths) {
        const isThere = ['', posix.dirname(file)].some((folder) => isOwnPath(skill, folder, name))
        if (!isThere) continue
        // A folder may also be one that the code creates in the working directory.
        const isFolder = !/\.\w+$/.test(name)
        report({
          ...(isFolder && { severity: 'warning' }),
          file,
          span,
          message: `"${name}" is relative to the working directory, which is not the folder of the skill`,
          help,
        })
      }
    }
  },
}

function isOwnPath(skill: LintedSkill, folder: string, name: string): boolean {
  const path = posix.join(folder, name).replace(/\/$/, '')
  return /\w/.test(name) && !path.startsWith('..') && hasPath(skill, path)
}

function listCodePaths(skill: LintedSkill) {
  const python = listLoadedPython(skill).map(({ file, facts }) => ({
    file,
    help: 'Write Path(__file__).parent and the path from there',
    // After a change of the directory, nothing is known.
    paths: facts.calls.some(({ name }) => name === 'os.chdir')
      ? []
      : facts.calls.flatMap(({ name, firstArgument, mode, span }): NamedSpan[] =>
          firstArgument && OPENERS.test(name) && !/[wax]/.test(mode ?? '')
            ? [{ name: firstArgument, span }]
            : [],
        ),
  }))
  const code = listParsedCode(skill).map(({ file, facts }) => ({
    file,
    help:
      facts.language === 'shell'
        ? 'Write ${BASH_SOURCE[0]%/*} and the path from there'
        : 'Write new URL(path, import.meta.url), with the path from this file',
    paths: facts.commands.some(({ name }) => /^(?:cd|pushd)$/.test(name)) ? [] : facts.paths,
  }))
  return [...python, ...code]
}
