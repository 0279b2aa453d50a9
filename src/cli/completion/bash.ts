import type { CompletedCommand, CompletionValues } from './describe-commands.ts'
import {
  buildArgumentCases,
  buildOptionCases,
  buildSubcommandCases,
  buildValueCases,
  buildValueOptionPattern,
} from './build-cases.ts'

/** Script for bash 3.2 and newer, without the bash-completion package. */
export function buildBashScript(commands: readonly CompletedCommand[]): string {
  const lines = (each: readonly string[]) => each.map((line) => `      ${line}`).join('\n')
  return `# Completion of skills for bash: source <(skills completion bash)
_skills() {
  local cur=\${COMP_WORDS[COMP_CWORD]} path='' option='' first='' word i position=0
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ -n $option ]]; then
      [[ $word == '=' ]] || option=''
      continue
    fi
    # bash splits words at "=".
    if [[ $word == '=' ]]; then i=$((i + 1)); continue; fi
    case "$path|$word" in
      ${buildValueOptionPattern(commands)}) option=$word ;;
      *'|-'*) ;;
${lines(buildSubcommandCases(commands))}
      *) [[ $position == 0 ]] && first=$word; position=$((position + 1)) ;;
    esac
  done
  [[ $cur == '=' ]] && cur=''
  if [[ -n $option ]]; then
    case "$path|$option" in
${lines(buildValueCases(commands, formatBashValues))}
    esac
  elif [[ $cur == -* ]]; then
    case "$path" in
${lines(buildOptionCases(commands, formatBashValues))}
    esac
  else
    case "$path|$position" in
${lines(buildArgumentCases(commands, formatBashValues))}
    esac
  fi
}
_skills_reply() {
  local line
  while IFS='' read -r line; do COMPREPLY+=("$line"); done < <(compgen "$@")
}
# compgen -W would execute the substitutions in a name.
_skills_values() {
  local line
  while IFS='' read -r line; do
    line=\${line%%$'\\t'*}
    [[ $line == "$cur"* ]] || continue
    [[ $line == *= ]] && compopt -o nospace 2>/dev/null
    printf -v line %q "$line"
    COMPREPLY+=("\${line//\\\\,/,}")
  done < <("\${COMP_WORDS[0]}" completion-values "$1" "$first" "$cur" 2>/dev/null)
  if [[ $1 == setting-values && \${#COMPREPLY[@]} == 0 ]]; then _skills_reply -f -- "$cur"; fi
}
_skills_names() { "\${COMP_WORDS[0]}" skill-names 2>/dev/null; }
# bash takes what is before a colon for a word of its own; ids are understood without it.
_skills_ids() { "\${COMP_WORDS[0]}" "$1" ls --ids 2>/dev/null | sed 's/^blob://'; }
complete -F _skills skills skills-protocol`
}

function formatBashValues(values: CompletionValues): string {
  switch (values.kind) {
    case 'words':
      return `_skills_reply -W '${values.words.join(' ')}' -- "$cur"`
    case 'values':
      return `_skills_values ${values.source}`
    case 'skills':
      return `if [[ $cur == */* || $cur == .* ]]; then _skills_reply -d -- "$cur"; else _skills_reply -W "$(_skills_names)" -- "$cur"; fi`
    case 'blobs':
    case 'runs':
      return `_skills_reply -W "$(_skills_ids ${values.kind})" -- "$cur"`
    case 'folders':
      return '_skills_reply -d -- "$cur"'
    case 'files':
      return '_skills_reply -f -- "$cur"'
    case 'anything':
      return ''
  }
}
