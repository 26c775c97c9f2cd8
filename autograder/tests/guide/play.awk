# The command blocks of a page, as files in the folder `out`: N.sh, and beside it N.status, the exit status that is expected,
# and N.check, commands that must succeed then. Blocks begin with ```sh, in lists with blanks before it; behind a block, comments say what is expected:
# <!-- play status: 1 -->, where `any` stands for every status, and <!-- play: COMMAND -->.
/^ *```sh$/ && !inside {
    n++
    name = sprintf("%s/%02d", out, n)
    inside = 1
    print 0 > (name ".status")
    printf "" > (name ".check")
    next
}
/^ *```/ {
    if (inside) close(name ".sh")
    inside = 0
    next
}
inside { print > (name ".sh") }
/^ *<!-- play/ {
    text = $0
    sub(/^ */, "", text)
    if (text !~ / -->$/ || n == 0 || text !~ /^<!-- play( status)?: ./) {
        print FILENAME ":" FNR ": no such comment: " text
        failed = 1
        exit
    }
    sub(/ -->$/, "", text)
    if (sub(/^<!-- play status: /, "", text)) {
        close(name ".status")
        print text > (name ".status")
    } else {
        sub(/^<!-- play: /, "", text)
        print text > (name ".check")
    }
}
END { if (failed || n == 0) exit 1 }
