# Marks the commands of an interactive fish for the recorder around it; read after config.fish.
#
# The nonce of the marks comes in a file that is emptied at once, and stays in a variable that is
# not exported.

read --global --unexport __understudy_nonce <$UNDERSTUDY_NONCE_FILE
and true >$UNDERSTUDY_NONCE_FILE
set --local __understudy_editor $UNDERSTUDY_EDITOR_SCRIPTS
set --erase UNDERSTUDY_NONCE_FILE
set --erase UNDERSTUDY_EDITOR_SCRIPTS

if test -n "$__understudy_nonce"
    function __understudy_preexec --on-event fish_preexec
        set --local folder (string escape --style=url -- $PWD)
        set --local line (string sub --length 1500 -- "$argv" | string collect)
        set --local shown (string escape --style=url -- $line | string collect)
        set --local length (string length -- "$argv")
        printf '\e]7717;%s;C;%s;%s;%s\a' $__understudy_nonce $folder $length $shown
    end

    function __understudy_postexec --on-event fish_postexec
        set --local code $status
        printf '\e]7717;%s;D;%s;%s\a' $__understudy_nonce $code (string escape --style=url -- $PWD)
    end
end

if test -n "$__understudy_editor"; and test -r "$__understudy_editor/shellIntegration.fish"
    source "$__understudy_editor/shellIntegration.fish"
end
