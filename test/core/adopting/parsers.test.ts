import { expect, it, vi } from 'vitest'
import { planAdoption } from '../../../src/core/adopting/plan-adoption.ts'
import { createFolder } from '../../helpers/skills.ts'

vi.setConfig({ testTimeout: 120_000 })

const FRONT = '---\nname: tool\ndescription: Does things. Use it for things.\n---\n'

async function readCommands(path: string, text: string) {
  const dir = createFolder({ 'SKILL.md': FRONT, [path]: text })
  const plan = await planAdoption(dir, { env: { PATH: process.env['PATH'] } })
  const shapes = plan.inputs.map(({ name, type, required, enum: values, default: value }) => ({
    name,
    type,
    ...(required && { required }),
    ...(values && { enum: values }),
    ...(value !== undefined && { default: value }),
  }))
  return { shapes, plan, names: plan.commands.map(({ command }) => command.name) }
}

it('click: options, flags, choices, files and subcommands', async () => {
  const { shapes, names } = await readCommands(
    'scripts/tool.py',
    `import click

@click.group()
def cli():
    pass

@cli.command()
@click.argument("source", type=click.File("r"))
@click.option("--size", "-s", type=int, default=3, help="Size")
@click.option("--kind", type=click.Choice(["a", "b"]), required=True)
@click.option("--verbose/--quiet")
def convert(source, size, kind, verbose):
    """Converts."""

@cli.command("show-all")
@click.option("--tag", multiple=True)
def show(tag):
    pass

cli()
`,
  )
  expect(names).toEqual(['tool convert', 'tool show-all'])
  expect(shapes).toEqual([
    { name: 'command', type: 'string', required: true, enum: ['tool convert', 'tool show-all'] },
    { name: 'source', type: 'blob' },
    { name: 'size', type: 'integer' },
    { name: 'kind', type: 'string', enum: ['a', 'b'] },
    { name: 'verbose', type: 'boolean' },
    { name: 'tag', type: 'array' },
  ])
})

it('typer: annotated parameters of one command', async () => {
  const { shapes } = await readCommands(
    'scripts/tool.py',
    `import typer
from typing import Annotated, Optional

app = typer.Typer()

@app.command()
def main(name: str, times: int = 2, loud: bool = False, city: Annotated[Optional[str], typer.Option(help="City")] = None):
    pass

app()
`,
  )
  expect(shapes).toEqual([
    { name: 'name', type: 'string', required: true },
    { name: 'times', type: 'integer', default: 2 },
    { name: 'loud', type: 'boolean' },
    { name: 'city', type: 'string' },
  ])
})

it('argparse: subparsers, parents, groups and constants', async () => {
  const { shapes, names } = await readCommands(
    'scripts/tool.py',
    `import argparse
KINDS = ["x", "y"]
common = argparse.ArgumentParser(add_help=False)
common.add_argument("--level", type=float, default=0.5)
parser = argparse.ArgumentParser()
sub = parser.add_subparsers(dest="what")
add = sub.add_parser("add", parents=[common], help="Adds")
group = add.add_argument_group("g")
group.add_argument("--kind", choices=KINDS)
add.add_argument("items", nargs="+")
sub.add_parser("list")
parser.parse_args()
`,
  )
  expect(names).toEqual(['tool add', 'tool list'])
  expect(shapes.slice(1)).toEqual([
    { name: 'kind', type: 'string', enum: ['x', 'y'] },
    { name: 'items', type: 'array' },
    { name: 'level', type: 'number' },
  ])
})

it('sys.argv: names of the assigned variables', async () => {
  const { shapes } = await readCommands(
    'scripts/tool.py',
    'import sys\ninput_pdf = sys.argv[1]\ncount = int(sys.argv[2]) if len(sys.argv) > 2 else 1\nprint(input_pdf)\n',
  )
  expect(shapes).toEqual([
    { name: 'input_pdf', type: 'blob', required: true },
    { name: 'count', type: 'integer' },
  ])
})

it('commander: options and commands of chains', async () => {
  const { names, shapes } = await readCommands(
    'scripts/tool.mjs',
    `import { Command } from 'commander'
const program = new Command()
program.command('add <name> [more...]').description('Adds').option('-f, --force', 'Force').requiredOption('--to <place>', 'Place', 'here')
program.command('list').option('--max <n>', 'Most', parseInt, 5)
program.parse()
`,
  )
  expect(names).toEqual(['tool add', 'tool list'])
  expect(shapes.slice(1)).toEqual([
    { name: 'name', type: 'string' },
    { name: 'more', type: 'array' },
    { name: 'force', type: 'boolean' },
    { name: 'to', type: 'string' },
    { name: 'max', type: 'integer' },
  ])
})

it('yargs and minimist: option objects', async () => {
  const yargs = await readCommands(
    'scripts/a.mjs',
    "import yargs from 'yargs'\nyargs(process.argv).option('mode', { choices: ['x', 'y'], demandOption: true, describe: 'Mode' }).option('n', { type: 'number', default: 2 }).parse()\n",
  )
  expect(yargs.shapes).toEqual([
    { name: 'mode', type: 'string', required: true, enum: ['x', 'y'] },
    { name: 'n', type: 'number', default: 2 },
  ])
  const minimist = await readCommands(
    'scripts/b.cjs',
    "const minimist = require('minimist')\nconst argv = minimist(process.argv.slice(2), { boolean: ['dry'], default: { name: 'x' } })\nconsole.log(argv.city, argv._)\n",
  )
  expect(minimist.shapes).toEqual([
    { name: 'dry', type: 'boolean' },
    { name: 'name', type: 'string', default: 'x' },
    { name: 'city', type: 'string' },
    { name: 'arguments', type: 'array' },
  ])
})

it('bash: options of a case and positional variables', async () => {
  const { shapes } = await readCommands(
    'scripts/a.sh',
    '#!/bin/bash\nNAME="$1"\nDIR="${2:-.}"\nfor a in "$@"; do case $a in --force) F=1;; -h|--help) exit;; esac; done\necho "$NAME"\n',
  )
  expect(shapes).toEqual([
    { name: 'force', type: 'boolean' },
    { name: 'name', type: 'string', required: true },
    { name: 'dir', type: 'string' },
  ])
})

it('a module without statements is not a command', async () => {
  const { names, plan } = await readCommands(
    'scripts/helper.py',
    'def add(a, b):\n    return a + b\n',
  )
  expect(names).toEqual([])
  expect(plan.kind).toBe('instruction')
})

it('sys.argv without a main guard: a file and parameters of functions are arguments', async () => {
  const direct = await readCommands(
    'scripts/check.py',
    'import sys\nreader = PdfReader(sys.argv[1])\nif reader.get_fields():\n    print("yes")\n',
  )
  expect(direct.names).toHaveLength(1)
  expect(direct.shapes).toEqual([{ name: 'file', type: 'blob', required: true }])
  const called = await readCommands(
    'scripts/extract.py',
    `import sys

def extract(pdf_path, output_name):
    pass

if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(1)
    extract(sys.argv[1], sys.argv[2])
`,
  )
  expect(called.shapes).toMatchObject([
    { name: 'pdf_path', type: 'blob', required: true },
    { name: 'output_name', type: 'string' },
  ])
  // The control: a file of definitions is not a command.
  const module = await readCommands(
    'scripts/helper.py',
    'import sys\n\ndef f():\n    return sys.argv[1]\n',
  )
  expect(module.names).toEqual([])
})

it('getopts: the argument after the options is an input, and the flag of the help is not', async () => {
  const { shapes } = await readCommands(
    'scripts/count.sh',
    `while getopts "vo:h" opt; do
  case $opt in
    v) VERBOSE=1 ;;
    o) OUT=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND-1))
WORD="$1"
echo "$WORD" "$OUT" "$VERBOSE"
`,
  )
  expect(shapes.map(({ name }) => name)).toEqual(['v', 'o', 'word'])
})
