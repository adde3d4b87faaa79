# Reads the user's own file, then marks the commands for the recorder around this shell.

if ((__understudy_had_zdotdir)); then
  ZDOTDIR=$__understudy_zdotdir
else
  builtin unset ZDOTDIR
fi
if [[ ${HISTFILE-} == $__understudy_folder/* ]]; then # the system's file has put it beside ours
  HISTFILE=${ZDOTDIR:-$HOME}/${HISTFILE:t}
fi
[[ -r ${ZDOTDIR:-$HOME}/.zshrc ]] && . "${ZDOTDIR:-$HOME}/.zshrc"

__understudy_encode() { # into REPLY: one OSC parameter
  builtin emulate -L zsh
  builtin setopt extended_glob
  local match mbegin mend MATCH MBEGIN MEND
  REPLY=${${1//\%/%25}//;/%3B}
  if [[ $REPLY == *[[:cntrl:]]* ]]; then
    REPLY=${REPLY//(#m)[[:cntrl:]]/%${(l:2::0:)$(([##16]#MATCH))}}
  fi
}

__understudy_preexec() {
  local REPLY
  __understudy_encode "$PWD"
  builtin printf '\e]7717;%s;C;%s;%s' "$__understudy_nonce" "$REPLY" "${#1}"
  __understudy_encode "${1[1,3000]}"
  builtin print -rn -- ";$REPLY"$'\a'
}

__understudy_precmd() {
  local code=$? REPLY
  __understudy_encode "$PWD"
  builtin printf '\e]7717;%s;D;%s;%s\a' "$__understudy_nonce" "$code" "$REPLY"
  return $code
}

if [[ -n $__understudy_nonce ]]; then
  # What zsh draws behind output without a line end comes before precmd: the end is marked there.
  PROMPT_EOL_MARK=$'%{\e]7717;'$__understudy_nonce$';D;%?\a%}'${PROMPT_EOL_MARK-%B%S%#%s%b}
  builtin typeset +x PROMPT_EOL_MARK
  precmd_functions=(__understudy_precmd $precmd_functions)
  preexec_functions=($preexec_functions __understudy_preexec)
fi

if [[ -n $__understudy_editor && -r $__understudy_editor/shellIntegration-rc.zsh ]]; then
  . "$__understudy_editor/shellIntegration-rc.zsh"
fi
builtin unset __understudy_folder __understudy_editor __understudy_had_zdotdir __understudy_zdotdir
