// @module-tag slow
// @module-tag nightly
import { describe, expect, it } from 'vitest'
import { toSkillsError } from '../../../src/errors.ts'
import { LANGUAGE_NAMES, type LanguageName } from '../../../src/core/languages/language.ts'
import { createExecutor } from '../../helpers/execute.ts'

/** Compilers are slow when they share two processors with other tests. */
const TIMEOUT_MS = 280_000

/** Each prints its first argument and its input, and exits with 3 if the argument is "fail". */
const PROGRAMS: Readonly<Record<LanguageName, string>> = {
  node: `import { readFileSync } from 'node:fs'
const [first] = process.argv.slice(2)
console.log('hello ' + first + ' ' + readFileSync(0, 'utf8'))
if (first === 'fail') process.exit(3)`,
  typescript: `import { readFileSync } from 'node:fs'
interface Ending { code: number }
const [first]: string[] = process.argv.slice(2)
const ending: Ending = { code: first === 'fail' ? 3 : 0 }
console.log('hello ' + first + ' ' + readFileSync(0, 'utf8'))
process.exitCode = ending.code`,
  python: `import sys
print('hello', sys.argv[1], sys.stdin.read())
sys.exit(3 if sys.argv[1] == 'fail' else 0)`,
  shell: `echo "hello $1 $(cat)"
if [ "$1" = fail ]; then exit 3; fi`,
  powershell: `$text = [Console]::In.ReadToEnd()
Write-Output "hello $($args[0]) $text"
if ($args[0] -eq 'fail') { exit 3 }`,
  go: `package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	text, _ := io.ReadAll(os.Stdin)
	fmt.Println("hello", os.Args[1], string(text))
	if os.Args[1] == "fail" {
		os.Exit(3)
	}
}`,
  java: `public class Hello {
  public static void main(String[] args) throws Exception {
    System.out.println("hello " + args[0] + " " + new String(System.in.readAllBytes()));
    if (args[0].equals("fail")) System.exit(3);
  }
}`,
  kotlin: `fun main(args: Array<String>) {
  println("hello " + args[0] + " " + System.\`in\`.bufferedReader().readText())
  if (args[0] == "fail") System.exit(3)
}`,
  rust: `use std::io::Read;
fn main() {
    let first = std::env::args().nth(1).unwrap();
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    println!("hello {} {}", first, text);
    if first == "fail" { std::process::exit(3); }
}`,
  c: `#include <math.h>
#include <stdio.h>
#include <string.h>
int main(int count, char **words) {
  char text[100] = {0};
  fread(text, 1, 99, stdin);
  printf("hello %s %s\\n", words[1], text);
  return strcmp(words[1], "fail") == 0 ? (int)sqrt(9.0 * (count > 1)) : 0;
}`,
  cpp: `#include <iostream>
#include <iterator>
#include <string>
int main(int, char **words) {
  std::string first = words[1], text{std::istreambuf_iterator<char>(std::cin), {}};
  std::cout << "hello " << first << " " << text << std::endl;
  return first == "fail" ? 3 : 0;
}`,
  csharp: `class Program {
  static int Main(string[] args) {
    System.Console.WriteLine("hello " + args[0] + " " + System.Console.In.ReadToEnd());
    return args[0] == "fail" ? 3 : 0;
  }
}`,
  ruby: `puts "hello #{ARGV[0]} #{$stdin.read}"
exit 3 if ARGV[0] == 'fail'`,
  php: `<?php
echo "hello " . $argv[1] . " " . stream_get_contents(STDIN) . "\\n";
exit($argv[1] === 'fail' ? 3 : 0);`,
  perl: `print "hello $ARGV[0] ", join('', <STDIN>), "\\n";
exit 3 if $ARGV[0] eq 'fail';`,
  r: `words <- commandArgs(trailingOnly = TRUE)
cat("hello", words[1], readLines(file("stdin"), warn = FALSE), "\\n")
if (words[1] == "fail") quit(status = 3)`,
  elixir: `[first | _] = System.argv()
IO.puts("hello #{first} #{IO.read(:stdio, :all)}")
if first == "fail", do: System.halt(3)`,
}

/** Skips if the language is not installed, and reports what to install. */
async function createExecutorFor(runtime: LanguageName, skip: (reason: string) => void) {
  const executor = await createExecutor()
  const { languages } = await executor.runtime.languages({ cwd: '/', env: process.env })
  const { install } = languages.find(({ name }) => name === runtime) ?? {}
  if (install) skip(`${runtime} is not here: install ${install}`)
  return executor
}

describe('runtime.execute runs', { timeout: TIMEOUT_MS }, () => {
  it.for(LANGUAGE_NAMES)('%s with arguments, input and an exit code', async (runtime, { skip }) => {
    const executor = await createExecutorFor(runtime, skip)
    const code = PROGRAMS[runtime]
    const good = await executor.run({ runtime, code, args: ['well'], stdin: 'given' })
    expect(good).toMatchObject({ status: 'success', exitCode: 0, signal: null })
    expect(good.stdoutSummary).toMatch(/^hello well given/)
    const failed = await executor.run({ runtime, code, args: ['fail'], stdin: '' })
    expect(failed).toMatchObject({ status: 'failure', exitCode: 3, signal: null })
    // The second run uses the cached program.
    expect(failed.compileMs).toBeUndefined()
  })

  it.for(['csharp', 'rust', 'c', 'cpp', 'go', 'java'] as const)(
    'a compiler of %s, and returns its output if it fails',
    async (runtime, { skip }) => {
      const executor = await createExecutorFor(runtime, skip)
      const result = await executor.run({ runtime, code: 'this is no code {' })
      expect(result).toMatchObject({ status: 'failure' })
      expect(result.exitCode).not.toBe(0)
      expect(`${result.stdoutSummary}${result.stderrSummary}`).toMatch(/error|expected/i)
      if (runtime !== 'java') expect(result.phase).toBe('compile')
    },
  )
})

describe('runtime.execute reports what to install', () => {
  // The process itself runs in Node, so one is always available.
  const names = LANGUAGE_NAMES.filter((name) => name !== 'node' && name !== 'typescript')

  it.each(names)('for %s', async (runtime) => {
    const executor = await createExecutor()
    const running = executor.run({ runtime, code: 'x' }, { env: { PATH: '/nonexistent' } })
    const error = toSkillsError(await running.catch((thrown: unknown) => thrown))
    expect(error.code).toBe('language/not-installed')
    expect(error.message).toContain('install')
    expect(error.data).toMatchObject({ language: runtime, install: expect.any(String) })
  })
})

describe('TypeScript runs by', { timeout: TIMEOUT_MS }, () => {
  const code = PROGRAMS.typescript

  it.for(['node', 'esbuild'])('%s', async (executable, { skip }) => {
    const executor = await createExecutor()
    const running = executor.run({
      runtime: 'typescript',
      code,
      executable,
      args: ['well'],
      stdin: '!',
    })
    const result = await running.catch((thrown: unknown) => {
      if (toSkillsError(thrown).code === 'language/not-installed') skip(`needs ${executable}`)
      throw thrown
    })
    expect(result).toMatchObject({ status: 'success', stdoutSummary: 'hello well !\n' })
  })
})
