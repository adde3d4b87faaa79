# Marks the commands of an interactive bash for the recorder around it. Needs bash 4.4 (PS0).
#
# Read in the place of ~/.bashrc, which it reads itself. A mark is an OSC string with a nonce that
# no other program can read: it comes in a file that is emptied before anything else runs, and
# stays in a variable that is not exported.

IFS= read -r __understudy_nonce <"$UNDERSTUDY_NONCE_FILE" && : >|"$UNDERSTUDY_NONCE_FILE"
builtin declare +x __understudy_nonce
__understudy_editor=${UNDERSTUDY_EDITOR_SCRIPTS-}
__understudy_login=${UNDERSTUDY_LOGIN-}
builtin unset UNDERSTUDY_NONCE_FILE UNDERSTUDY_EDITOR_SCRIPTS UNDERSTUDY_LOGIN

if [[ -n $__understudy_login ]]; then
  # --init-file and --login exclude each other, so this is what the latter would read.
  [[ -r /etc/profile ]] && . /etc/profile
  for __understudy_file in ~/.bash_profile ~/.bash_login ~/.profile; do
    if [[ -r $__understudy_file ]]; then
      . "$__understudy_file"
      break
    fi
  done
elif [[ -r ~/.bashrc ]]; then
  . ~/.bashrc
fi

__understudy_encode() { # into REPLY: one OSC parameter
  REPLY=${1//%/%25}
  REPLY=${REPLY//;/%3B}
  if [[ $REPLY == *[[:cntrl:]]* ]]; then
    local index hex
    for index in {1..31} 127; do
      builtin printf -v hex %02X "$index"
      REPLY=${REPLY//"${__understudy_controls[index]}"/%$hex}
    done
  fi
}

__understudy_begin() { # in a subshell, after a line was read and before it runs
  local number='\!' line='' length=- REPLY
  if [[ ${number@P} != "$__understudy_number" ]]; then
    line=$(HISTTIMEFORMAT='' builtin history 1)
    [[ $line =~ ^\ *[0-9]+.\ (.*)$ ]] && line=${BASH_REMATCH[1]}
    length=${#line}
  fi
  __understudy_encode "$PWD"
  builtin printf '\e]7717;%s;C;%s;%s' "$__understudy_nonce" "$REPLY" "$length"
  __understudy_encode "${line:0:3000}"
  builtin printf ';%s\a' "$REPLY"
}

__understudy_end() { # first of PROMPT_COMMAND
  local status=$? number='\!' REPLY
  __understudy_encode "$PWD"
  builtin printf '\e]7717;%s;D;%s;%s\a' "$__understudy_nonce" "$status" "$REPLY"
  __understudy_number=${number@P}
  # An empty history has the number of its first entry.
  [[ $__understudy_number == 1 && -z $(builtin history 1) ]] && __understudy_number=0
  __understudy_wrap
  return "$status"
}

# Not behind the user's own PROMPT_COMMAND: their DEBUG trap would take it for a command.
__understudy_wrap() {
  [[ $PS1 == *'${__understudy_typing-}'* ]] || PS1+='\[${__understudy_typing-}\]'
}

if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)) && shopt -q promptvars &&
  [[ -n $__understudy_nonce ]]; then
  __understudy_controls=()
  for __understudy_index in {1..31} 127; do
    builtin printf -v __understudy_hex %02x "$__understudy_index"
    builtin printf -v "__understudy_controls[$__understudy_index]" "\\x$__understudy_hex"
  done
  __understudy_typing=$'\e]7717;'$__understudy_nonce$';B\a'
  __understudy_number=
  PS0="${PS0-}"'$(__understudy_begin)'
  PROMPT_COMMAND="__understudy_end"$'\n'"${PROMPT_COMMAND-}"
  __understudy_wrap
fi

if [[ -n $__understudy_editor && -r $__understudy_editor/shellIntegration-bash.sh ]]; then
  # Behind ours, as it wraps the prompt that it finds.
  . "$__understudy_editor/shellIntegration-bash.sh"
fi
builtin unset __understudy_editor __understudy_login __understudy_file __understudy_index \
  __understudy_hex
